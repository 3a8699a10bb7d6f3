/** On Nodes of a lab: the process that runs the node. Of two labs with the same node, the one that wrote this last goes on. */
export const instanceAnnotation = "lab.attune.dev/instance";
