import { group } from "../../domain/node-tuning/api.ts";
import { tunedWarnings } from "../../domain/node-tuning/status/tuned-status.ts";
import type { AdmissionHandler } from "./handler.ts";

/** Tells whoever writes a Tuned what is wrong with it, on the spot. Keeps nothing out, so nothing waits for it either. */
export const tunedHandler: AdmissionHandler = {
  name: "tuneds",
  type: "validating",
  rules: [{ apiGroups: [group], apiVersions: ["v1"], resources: ["tuneds"], operations: ["CREATE", "UPDATE"] }],
  failurePolicy: "Ignore",
  timeoutSeconds: 5,
  review: ({ object }) => ({ type: "allow", warnings: object ? tunedWarnings(object) : [] }),
};
