package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// apache is the digest of the text of the Apache License 2.0.
const apache = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"

// header is how files of the overlay start.
const header = "/*\nCopyright The Sidecar Node Authors.\n\nSPDX-License-Identifier: Apache-2.0\n*/\n"

var licence = Check{
	Name: "licence",
	What: "LICENSE is the Apache License 2.0, NOTICE is there, and the overlay's Go files have a header",
	Mend: "git checkout -- LICENSE NOTICE, or copy the header of another file in staging/",
	Run: func(_ context.Context, r *Repository) error {
		var wrong []string
		sum := sha256.Sum256(r.file("LICENSE").Data)
		if got := hex.EncodeToString(sum[:]); got != apache {
			wrong = append(wrong, "LICENSE: sha256 "+got+", want "+apache)
		}
		if len(r.file("NOTICE").Data) == 0 {
			wrong = append(wrong, "NOTICE: missing or empty")
		}
		for _, f := range r.with(".go") {
			// They are laid into a tree in which every file has one.
			if strings.HasPrefix(f.Path, "staging/") && !bytes.HasPrefix(f.Data, []byte(header)) {
				wrong = append(wrong, f.Path+": no licence header, or another one")
			}
		}
		return problems(wrong)
	},
}
