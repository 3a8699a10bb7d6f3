/** Where Open vSwitch's services run, so that their CPUs can be told from the system's. */
export const ovsSlice = "ovs.slice";
