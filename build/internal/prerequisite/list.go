package prerequisite

// List returns all prerequisites: first what the build needs, then what a
// cluster needs.
func List() []Prerequisite {
	return []Prerequisite{
		system,
		goToolchain,
		git,
		compiler,
		pkgConfig,
		seccomp,
		protoc,
		mmdebstrap,
		keyring,
		mirror,
		userNamespaces,
		memory,
		disk,
		containerEngine,
		modules,
		privileged,
		inotify,
	}
}
