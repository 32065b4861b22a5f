#!/usr/bin/env bash
# Finds a Go that can compile this module and sets PATH and GOTOOLCHAIN for it.
# Sourced by hack/sidecarctl. Go 1.21 and newer fetch the toolchain that go.mod
# names by themselves; with an older one this script fetches it, through the
# same module proxy and checksum database, into _output/go.

want=$(awk '$1 == "go" { print $2; exit }' "$root/go.mod")

go_version() { go version 2>/dev/null | sed -n 's/^go version go\([0-9.]*\).*/\1/p'; }

# at_least A B: version A is B or newer.
at_least() { [ "$(printf '%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

for dir in "$root/_output/go/bin" /usr/local/go/bin /usr/lib/go/bin; do
  if [ -x "$dir/go" ] && ! at_least "$(go_version || true)" 1.21; then PATH=$dir:$PATH; fi
done

if ! command -v go >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "Go isn't in PATH: install Go 1.21 or newer (apt-get install golang-go, or your distribution's package), then run the command again" >&2
    exit 1
  fi
  echo "==> install golang-go: compiles everything"
  mkdir -p "$root/_output/reports"
  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends golang-go ca-certificates; } \
    >>"$root/_output/reports/apt.log" 2>&1 || { tail -n 15 "$root/_output/reports/apt.log" >&2; exit 1; }
fi

found=$(go_version)
if at_least "$found" 1.21; then
  # A distribution may forbid what go.mod asks for; only then change it.
  if ! at_least "$found" "$want"; then export GOTOOLCHAIN=auto; fi
else
  echo "==> fetch Go $want: go.mod wants it and Go $found can't switch by itself"
  module=golang.org/toolchain@v0.0.1-go$want.$(go env GOOS)-$(go env GOARCH)
  dir=$(cd / && go mod download -json "$module" | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')
  rm -rf "$root/_output/go.tmp" && mkdir -p "$root/_output" && cp -R "$dir" "$root/_output/go.tmp"
  # Module archives hold neither run bits nor nested go.mod files.
  chmod -R u+w "$root/_output/go.tmp" && chmod +x "$root"/_output/go.tmp/{bin,pkg/tool/*}/*
  find "$root/_output/go.tmp" -name _go.mod -execdir mv {} go.mod \;
  rm -rf "$root/_output/go" && mv "$root/_output/go.tmp" "$root/_output/go"
  PATH=$root/_output/go/bin:$PATH
fi
export PATH
