// Package config reads the settings of the cluster suite.
package config

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"sigs.k8s.io/yaml"
)

// Config is the content of a settings file; default.yaml explains the keys.
type Config struct {
	Image     string    `json:"image"`
	Parallel  int       `json:"parallel"`
	Journal   Journal   `json:"journal"`
	Intervals Intervals `json:"intervals"`
}

// Journal says where the probes write.
type Journal struct {
	HostPath string `json:"hostPath"`
	Port     int    `json:"port"`
}

// Intervals are all waiting times of the suite.
type Intervals struct {
	Poll         Duration `json:"poll"`
	Setup        Duration `json:"setup"`
	Start        Duration `json:"start"`
	Job          Duration `json:"job"`
	Stop         Duration `json:"stop"`
	Prompt       Duration `json:"prompt"`
	Settle       Duration `json:"settle"`
	KillOverhead Duration `json:"killOverhead"`
}

// Duration is a time that files write as 200ms or 3m.
type Duration struct{ time.Duration }

// UnmarshalJSON reads the text form.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("want a duration such as 200ms, found %s", data)
	}
	var err error
	d.Duration, err = time.ParseDuration(text)
	return err
}

// Load reads a file and refuses unknown and missing keys.
func Load(name string) (Config, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return Config{}, fmt.Errorf("settings of the cluster suite: %w", err)
	}
	var c Config
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		return Config{}, fmt.Errorf("%s: %w", name, err)
	}
	for key, missing := range map[string]bool{
		"image":                  c.Image == "",
		"parallel":               c.Parallel <= 0,
		"journal.hostPath":       c.Journal.HostPath == "",
		"journal.port":           c.Journal.Port <= 0,
		"intervals.poll":         c.Intervals.Poll.Duration <= 0,
		"intervals.setup":        c.Intervals.Setup.Duration <= 0,
		"intervals.start":        c.Intervals.Start.Duration <= 0,
		"intervals.job":          c.Intervals.Job.Duration <= 0,
		"intervals.stop":         c.Intervals.Stop.Duration <= 0,
		"intervals.prompt":       c.Intervals.Prompt.Duration <= 0,
		"intervals.settle":       c.Intervals.Settle.Duration <= 0,
		"intervals.killOverhead": c.Intervals.KillOverhead.Duration <= 0,
	} {
		if missing {
			return Config{}, fmt.Errorf("%s: %s: want a value above zero, found none", name, key)
		}
	}
	return c, nil
}
