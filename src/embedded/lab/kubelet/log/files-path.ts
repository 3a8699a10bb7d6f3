/** Where the server of a lab has the files of its machines, below the port of their kubelets: `/machineFiles/NODE?path=PATH`. */
export const filesPath = "/machineFiles/";
