// Package artifact names the files that a spec of the suite leaves behind, for those
// who write them and those who read them after the run.
package artifact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sidecar-node/e2e/role"
	"sidecar-node/images/probe/record"
)

// Files of a spec, in its folder.
const (
	// Journal holds the records of its containers, a line each.
	Journal = "journal.jsonl"
	// Timeline is the journal as text.
	Timeline = "timeline.txt"
	// Roles says what the containers were for, see role.List.
	Roles = "roles.json"
)

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// Folder makes the name of a spec's folder from the full text of the spec.
func Folder(spec string) string {
	return strings.Trim(notSlug.ReplaceAllString(strings.ToLower(spec), "-"), "-")
}

// ReadJournal reads the records in the folder of a spec. A spec without a journal
// has none.
func ReadJournal(dir string) ([]record.Record, error) {
	records, err := ReadRecords(filepath.Join(dir, Journal))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return records, err
}

// ReadRecords reads a journal, whatever its name.
func ReadRecords(name string) ([]record.Record, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	records, err := record.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return records, nil
}

// WriteRoles writes what the containers of a spec were for into its folder.
func WriteRoles(dir string, list role.List) error {
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, Roles), append(data, '\n'), 0o644)
}

// ReadRoles reads what WriteRoles wrote. A folder without that file has no roles.
func ReadRoles(dir string) (role.List, error) {
	name := filepath.Join(dir, Roles)
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list role.List
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: want the roles of containers: %w", name, err)
	}
	return list, nil
}
