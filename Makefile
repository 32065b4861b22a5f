# Names only: every target is one command of sidecarctl, which has the logic.
# hack/sidecarctl finds Go and builds the tool first. Extra flags for a target
# go into ARGS, for example: make doctor ARGS=--help

.DEFAULT_GOAL := help
.PHONY: $(shell awk -F: '/^[a-z0-9-]+:/ { print $$1 }' Makefile)

RUN := @hack/sidecarctl

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' Makefile

cluster: ## set up this machine, build, create the cluster "sidecar", run the example Job
	$(RUN) cluster $(ARGS)

delete-cluster: ## delete that cluster
	$(RUN) delete-cluster $(ARGS)

doctor: ## check every prerequisite, and say what to do
	$(RUN) doctor $(ARGS)

setup: ## install what is missing (root on Debian or Ubuntu)
	$(RUN) setup $(ARGS)

image: ## build the node image sidecar-node and load it into the container engine
	$(RUN) image --load $(ARGS)

stock-image: ## the same image without patches, for comparison
	$(RUN) image --load --variant stock $(ARGS)

apply: ## make the scratch tree: upstream, then the patches, the overlay, generated code
	$(RUN) apply $(ARGS)

export: ## write the commits of the scratch tree back to patches/
	$(RUN) export $(ARGS)

generate: ## regenerate the code of the changed API types in the scratch tree
	$(RUN) generate $(ARGS)

compile: ## compile the Kubernetes binaries
	$(RUN) compile $(ARGS)

status: ## show what state the scratch tree and the outputs are in
	$(RUN) status $(ARGS)

test: ## verify, unit and e2e, with one summary
	$(RUN) test $(ARGS)

verify: ## check the repository itself: patches, own words, generated code, docs
	$(RUN) verify $(ARGS)

unit: ## all unit tests: ours, and those of upstream for the packages that the series touches
	$(RUN) test --only unit,upstream $(ARGS)

upstream-tests: ## upstream's unit tests of everything that could notice the feature, gate off and on
	$(RUN) unit --wide $(ARGS)

e2e: ## test the behaviour on real clusters; LABELS="start || job" selects specs
	$(RUN) e2e $(if $(LABELS),--labels='$(LABELS)') $(ARGS)

timeline: ## draw what happened in a pod of a running cluster; POD=namespace/name
	$(RUN) timeline $(if $(POD),'$(POD)') $(ARGS)

e2e-mutants: ## revert hooks of the series one by one in the cluster of make cluster, and see the suite catch it
	$(RUN) e2e-mutants $(ARGS)

e2e-stock: ## run the specs about order on Kubernetes without the patches, where all must fail
	$(RUN) e2e-stock $(ARGS)

soak: ## run random pods while kubelets are killed, and judge each of them; ROUNDS=200
	$(RUN) soak $(if $(ROUNDS),--rounds=$(ROUNDS)) $(ARGS)

bench: ## measure pods without sidecars, with native ones and with ours, taking turns; ROUNDS=20
	$(RUN) bench $(if $(ROUNDS),--rounds=$(ROUNDS)) $(ARGS)

bench-kubelet: ## compare what pods without sidecars cost the kubelet with stock Kubernetes
	$(RUN) bench-kubelet $(ARGS)

clean: ## remove _output; Go's caches stay
	$(RUN) clean $(ARGS)
