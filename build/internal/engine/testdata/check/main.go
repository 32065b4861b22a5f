// Command check is a small program for the test of TryPrivileged.
package main

import (
	"fmt"
	"os"

	"sidecar-node/build/internal/engine"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == engine.SelfCheckArgument {
		fmt.Println(engine.SelfCheckAnswer)
	}
}
