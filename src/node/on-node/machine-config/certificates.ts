/** Certificates that other components renew on the node, between two configs. */
const folders = ["/etc/docker/certs.d"];
const files = [
  "/etc/kubernetes/kubelet-ca.crt",
  "/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem",
  "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt",
];

/** Without these the node loses its cluster: they stay when a config does not have them any more. */
export function isKept(path: string): boolean {
  return files.includes(path) || folders.some((folder) => path.startsWith(`${folder}/`));
}

const renewed = [files[0], files[1], "/etc/mco/internal-registry-pull-secret.json"];

/** Whether their contents may differ from the config's. */
export function isRenewed(path: string): boolean {
  return renewed.includes(path);
}
