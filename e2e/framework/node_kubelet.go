package framework

// KubeletHealthy is a script for Shell that returns when the kubelet of the node
// answers, and fails if it does not within a minute.
const KubeletHealthy = `
for i in $(seq 300); do
  if (exec 3<>/dev/tcp/127.0.0.1/10248 && printf 'GET /healthz HTTP/1.0\r\n\r\n' >&3 && grep -q 'HTTP/1.0 200' <&3) 2>/dev/null; then exit 0; fi
  sleep 0.2
done
exit 1`
