/** Names of profiles in earlier releases of TuneD and of the node tuning operator, with the profile to use instead. */
export const formerNames: ReadonlyMap<string, string> = new Map([
  ["openshift-control-plane-es", "openshift-control-plane"],
  ["openshift-node-es", "openshift-node"],
  ["sap", "sap-netweaver"],
  ["sap-hana-vmware", "sap-hana"],
  ["sst", "intel-sst"],
]);
