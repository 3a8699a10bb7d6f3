/** Deployment and Service. In a file without imports: all commands load the flags, which have it as default. */
export const webhookName = "attune-webhook";
