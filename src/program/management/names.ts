/** Of the Lease, the Deployment and its labels. */
export const managementName = "attune-management";
export const managementServiceAccount = "attune-management";
