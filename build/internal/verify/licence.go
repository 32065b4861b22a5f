package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// apache is the digest of the text of the Apache License 2.0.
const apache = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"

var licence = Check{
	Name: "licence",
	What: "LICENSE is the Apache License 2.0, unchanged, and NOTICE is there",
	Mend: "git checkout -- LICENSE NOTICE",
	Run: func(_ context.Context, r *Repository) error {
		var wrong []string
		sum := sha256.Sum256(r.file("LICENSE").Data)
		if got := hex.EncodeToString(sum[:]); got != apache {
			wrong = append(wrong, "LICENSE: sha256 "+got+", want "+apache)
		}
		if len(r.file("NOTICE").Data) == 0 {
			wrong = append(wrong, "NOTICE: missing or empty")
		}
		return problems(wrong)
	},
}
