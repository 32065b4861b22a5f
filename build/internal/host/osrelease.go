package host

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// OSRelease holds the fields of os-release(5) that matter here.
type OSRelease struct {
	// ID and Codename are lower case words such as debian and bookworm.
	ID, Codename string
	// Like lists the distributions this one is derived from.
	Like []string
	// Name is for people, for example "Debian GNU/Linux 12 (bookworm)".
	Name string
}

// DebianLike reports whether the packages and their names are those of Debian
// or of a distribution derived from it.
func (o OSRelease) DebianLike() bool {
	return o.ID == "debian" || o.ID == "ubuntu" || slices.Contains(o.Like, "debian") || slices.Contains(o.Like, "ubuntu")
}

func readOSRelease(root fs.FS) (OSRelease, error) {
	data, err := fs.ReadFile(root, "etc/os-release")
	if errors.Is(err, fs.ErrNotExist) {
		data, err = fs.ReadFile(root, "usr/lib/os-release")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return OSRelease{Name: "unknown Linux distribution"}, nil
	}
	if err != nil {
		return OSRelease{}, err
	}
	var o OSRelease
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		key, value, ok := strings.Cut(strings.TrimSpace(lines.Text()), "=")
		if !ok || strings.HasPrefix(key, "#") {
			continue
		}
		if unquoted, err := strconv.Unquote(value); err == nil {
			value = unquoted
		} else {
			value = strings.Trim(value, `'`)
		}
		switch key {
		case "ID":
			o.ID = value
		case "ID_LIKE":
			o.Like = strings.Fields(value)
		case "VERSION_CODENAME":
			o.Codename = value
		case "PRETTY_NAME":
			o.Name = value
		}
	}
	return o, lines.Err()
}
