module sidecar-node

go 1.26.0

// staging holds files of the Kubernetes tree and _output everything derived;
// neither is compiled as part of this module.
ignore (
	./_output
	./staging
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/spf13/cobra v1.10.2 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
)
