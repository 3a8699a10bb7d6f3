/** A ConfigMap that has about `size` bytes as JSON. */
export function configMap(name: string, size: number): string {
  const empty = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { app: "bench" } }, data: {} };
  const payload = Math.max(16, size - JSON.stringify(empty).length);
  // Keys and lines of a usual length: one value of 12 KB would be easier on a server than what people store.
  const data: Record<string, string> = {};
  for (let done = 0, key = 0; done < payload; key++) {
    const length = Math.min(512, payload - done);
    data[`file-${key}.conf`] = line(name, key)
      .repeat(Math.ceil(length / 64))
      .slice(0, length);
    done += length + 20;
  }
  return JSON.stringify({ ...empty, data });
}

function line(name: string, key: number): string {
  return `${name}.${key}=${"0123456789abcdef".repeat(4)}`.slice(0, 63) + "\n";
}

export function configMapsPath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}
