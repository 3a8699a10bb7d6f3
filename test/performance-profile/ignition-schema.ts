import type { Schema } from "../../src/language/schema/schema.ts";

const text: Schema = { type: "string" };
const nothing: Schema = { type: "object" };

function object(properties: Record<string, Schema>, ...required: string[]): Schema {
  return { type: "object", properties, required };
}

/** The part of a MachineConfig with Ignition 3.2.0 that profiles use, and nothing else. */
export const machineConfigSchema: Schema = object(
  {
    apiVersion: { type: "string", enum: ["machineconfiguration.openshift.io/v1"] },
    kind: { type: "string", enum: ["MachineConfig"] },
    metadata: { ...nothing, "x-kubernetes-preserve-unknown-fields": true },
    spec: object(
      {
        kernelType: { type: "string", enum: ["default", "realtime", "64k-pages"] },
        config: object(
          {
            ignition: object({ version: { type: "string", enum: ["3.2.0"] } }, "version"),
            storage: object({
              files: {
                type: "array",
                items: object(
                  {
                    path: { type: "string", pattern: "^/" },
                    mode: { type: "integer", enum: [0o644, 0o700] },
                    contents: object({ source: text }, "source"),
                  },
                  "path",
                  "mode",
                  "contents",
                ),
              },
            }),
            systemd: object({
              units: {
                type: "array",
                items: object(
                  {
                    name: { type: "string", pattern: "^[a-zA-Z0-9:_.@-]+\\.(service|slice)$" },
                    enabled: { type: "boolean" },
                    contents: text,
                  },
                  "name",
                  "contents",
                ),
              },
            }),
          },
          "ignition",
        ),
      },
      "kernelType",
      "config",
    ),
  },
  "apiVersion",
  "kind",
  "metadata",
  "spec",
);
