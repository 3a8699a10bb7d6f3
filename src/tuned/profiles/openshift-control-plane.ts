export const openshiftControlPlane = `[main]
summary=A node that runs the control plane
include=openshift
`;
