package framework

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubectl runs a kubectl in the namespace of the space and returns what it prints, and
// what it says beside that. Input is its standard input.
func (s *Space) Kubectl(ctx context.Context, kubectl, input string, args ...string) (out, said string, err error) {
	config, err := s.kubeconfigFile()
	if err != nil {
		return "", "", err
	}
	defer os.Remove(config)
	cmd := exec.CommandContext(ctx, kubectl, append([]string{"--kubeconfig", config, "--namespace", s.Namespace}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err = cmd.Run(); err != nil {
		err = fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), stderr.String(), err
}

// kubeconfigFile writes a file that leads to this cluster alone.
func (c *Cluster) kubeconfigFile() (string, error) {
	config := clientcmdapi.NewConfig()
	config.Clusters["it"] = &clientcmdapi.Cluster{
		Server: c.rest.Host, CertificateAuthority: c.rest.CAFile, CertificateAuthorityData: c.rest.CAData,
		InsecureSkipTLSVerify: c.rest.Insecure, TLSServerName: c.rest.ServerName,
	}
	config.AuthInfos["it"] = &clientcmdapi.AuthInfo{
		ClientCertificate: c.rest.CertFile, ClientCertificateData: c.rest.CertData,
		ClientKey: c.rest.KeyFile, ClientKeyData: c.rest.KeyData,
		Token: c.rest.BearerToken, TokenFile: c.rest.BearerTokenFile, Exec: c.rest.ExecProvider,
	}
	config.Contexts["it"] = &clientcmdapi.Context{Cluster: "it", AuthInfo: "it"}
	config.CurrentContext = "it"
	file, err := os.CreateTemp("", "kubeconfig-")
	if err != nil {
		return "", err
	}
	if err := file.Close(); err != nil {
		return "", err
	}
	return file.Name(), clientcmd.WriteToFile(*config, file.Name())
}
