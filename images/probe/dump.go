package main

import (
	"encoding/json"
	"fmt"
	"io"

	"sidecar-node/images/probe/record"
)

// dump prints the journal in a folder.
func dump(args []string, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("probe dump: want one folder, got %d", len(args))
	}
	records, err := record.Read(args[0])
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := json.NewEncoder(out).Encode(r); err != nil {
			return err
		}
	}
	return nil
}
