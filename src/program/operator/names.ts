/** Namespace of operator and webhook. In a file without imports: all commands load the flags, which have it as default. */
export const systemNamespace = "attune-system";
