package apidocs

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// startLimit is how long an API server may take to be ready.
const startLimit = 2 * time.Minute

// Binaries are what is run.
type Binaries struct {
	Etcd, APIServer string
	// Env are variables of the API server, as name=value.
	Env []string
}

// Serve runs an API server with a store of its own, asks it for its documents and
// ends it. The flags are those with which upstream makes its documents.
func Serve(ctx context.Context, b Binaries) (_ Documents, err error) {
	dir, err := os.MkdirTemp("", "apidocs-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	etcd := fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stopEtcd, err := start(ctx, end, dir, b.Etcd, nil, "--data-dir="+filepath.Join(dir, "etcd"), "--listen-client-urls="+etcd, "--advertise-client-urls="+etcd,
		fmt.Sprintf("--listen-peer-urls=http://127.0.0.1:%d", ports[1]), "--unsafe-no-fsync", "--log-level=warn")
	if err != nil {
		return nil, err
	}
	defer stopEtcd()
	key, token := filepath.Join(dir, "key.pem"), rand.Text()
	if err := errors.Join(writeKey(key), os.WriteFile(filepath.Join(dir, "tokens.csv"), []byte(token+",admin,admin,system:masters\n"), 0o600)); err != nil {
		return nil, err
	}
	stopServer, err := start(ctx, end, dir, b.APIServer, b.Env,
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports[2]), "--etcd-servers="+etcd,
		"--advertise-address=10.10.10.10", "--cert-dir="+filepath.Join(dir, "certs"),
		"--feature-gates=AllAlpha=true,AllBeta=true,OpenAPIEnums=false", "--runtime-config=api/all=true",
		"--enable-logs-handler=true", "--token-auth-file="+filepath.Join(dir, "tokens.csv"), "--authorization-mode=RBAC",
		"--service-account-key-file="+key, "--service-account-signing-key-file="+key,
		"--service-account-issuer=https://kubernetes.default.svc", "--service-cluster-ip-range=10.0.0.0/24")
	if err != nil {
		return nil, err
	}
	defer stopServer()
	// It signs its certificate itself, and listens to this machine alone.
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	url := fmt.Sprintf("https://127.0.0.1:%d", ports[2])
	if err := await(ctx, client, url, startLimit); err != nil {
		for _, program := range []string{b.Etcd, b.APIServer} {
			log, _ := os.ReadFile(filepath.Join(dir, filepath.Base(program)+".log"))
			err = fmt.Errorf("%w\nthe end of the log of %s:\n%s", err, filepath.Base(program), tail(log, 2000))
		}
		return nil, err
	}
	return Fetch(ctx, client, url, token)
}

// start runs a program whose output goes to a file in dir, and returns what ends it. If
// the program ends by itself, end is called.
func start(ctx context.Context, end context.CancelCauseFunc, dir, program string, env []string, args ...string) (stop func(), err error) {
	log, err := os.Create(filepath.Join(dir, filepath.Base(program)+".log"))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// One that is killed at the end says so, too.
		if err := cmd.Wait(); err != nil {
			end(fmt.Errorf("%s: %w", program, err))
		}
	}()
	return func() {
		_ = cmd.Process.Kill()
		<-ended
		log.Close()
	}, nil
}

func writeKey(name string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	return os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}), 0o600)
}

func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

func tail(text []byte, n int) []byte { return bytes.TrimSpace(text[max(0, len(text)-n):]) }
