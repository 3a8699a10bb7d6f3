/** Names that flags have as defaults, apart from the code that uses them: every command loads the flags of all. */

/** Namespace of operator and webhook. */
export const systemNamespace = "attune-system";
/** The webhook's Deployment and Service. */
export const webhookName = "attune-webhook";
