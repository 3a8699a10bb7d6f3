export const consoleName = "attune-console";
/** Of type `kubernetes.io/tls`. OpenShift's service CA creates it; elsewhere it is up to an administrator. */
export const consoleSecret = "attune-console-tls";
/** Where its pod has that Secret. */
export const certificateFolder = "/etc/attune/console";
/** Where its pod has the certificate of the cluster's API servers. */
export const authorityFolder = "/etc/attune/cluster";
