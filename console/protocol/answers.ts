import type { SettingExplanation } from "../../src/domain/node-tuning/explain/settings.ts";
import type { ChangePlan } from "../../src/domain/plan/change-plan.ts";

/** Every answer that is no 2xx. */
export interface ErrorAnswer {
  /** In the words of the API server where it refused. */
  readonly error: string;
  /** Its reason: `Forbidden`, `Conflict`. */
  readonly reason?: string | undefined;
}

/** `GET /api/session`: how users sign in here. With a valid `Authorization` also who they are. */
export interface SessionAnswer {
  /** `link`: with an address that the command prints. `token`: with a token of the cluster. */
  readonly signIn: "link" | "token";
  readonly user?: string | undefined;
}

/** `POST /api/session` with the token of the address: the key that every other request carries. */
export interface SessionRequest {
  readonly token: string;
}
export interface SessionKey {
  readonly key: string;
}

/** One file that the user dropped or typed. */
export interface PlanFile {
  readonly name: string;
  readonly text: string;
}

/** `POST /api/plan`: dry runs with the rights of the user. */
export interface PlanRequest {
  readonly cluster?: string | undefined;
  readonly files: readonly PlanFile[];
  /** For objects that name none. */
  readonly namespace?: string | undefined;
  /** Fields of other managers are taken over, as an edit does: what the plan shows is what the user wants. Default: a conflict. */
  readonly takeOver?: boolean | undefined;
}

export interface SkippedObject {
  readonly place: string;
  readonly kind: string;
  readonly name: string;
  readonly because: string;
}

/** What is wrong with a file, in one sentence, and where. */
export interface PlanProblem {
  readonly text: string;
  /** Which of the files of the request. */
  readonly file?: number | undefined;
  /** Counted from one. */
  readonly line?: number | undefined;
}

export type PlanAnswer =
  /** `canTakeOver`: nothing but other managers of the fields is in the way. */
  | { readonly type: "refused"; readonly problems: readonly PlanProblem[]; readonly canTakeOver: boolean }
  | {
      readonly type: "plan";
      readonly plan: ChangePlan & { readonly skipped: readonly SkippedObject[] };
      /** To send with `POST /api/apply`, which plans again and refuses where the answer is another. */
      readonly digest: string;
      /** The cluster that was asked: objects for NodePools are planned in the management cluster, whichever the page shows. */
      readonly cluster: string;
      /** Nodes that would reboot, by name. */
      readonly reboots: readonly string[];
    };

/** `POST /api/apply`: server-side apply as field manager `attune-console`. */
export interface ApplyRequest extends PlanRequest {
  readonly digest: string;
}

export type ApplyAnswer =
  | Extract<PlanAnswer, { type: "refused" }>
  /** What it would do has changed since: nothing was written. */
  | { readonly type: "changed"; readonly answer: PlanAnswer }
  | { readonly type: "applied"; readonly objects: readonly AppliedObject[] };

export interface AppliedObject {
  readonly place: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** In the words of the API server, with managers and fields of a conflict. Absent: it was written. */
  readonly error?: string | undefined;
  /** `unknown`: it was sent, and no answer came. `unsent`: the API server could not be reached. Absent: refused, or written. */
  readonly lost?: "unknown" | "unsent" | undefined;
}

/** `POST /api/pause`. */
export interface PauseRequest {
  readonly cluster?: string | undefined;
  readonly kind: "MachineConfigPool" | "NodePool";
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly paused: boolean;
}
export interface PauseAnswer {
  readonly paused: boolean;
}

/** `POST /api/read`: the values that a node has now, read with the rights of the user. */
export interface ReadRequest {
  readonly cluster?: string | undefined;
  readonly node: string;
}
export interface ReadAnswer {
  /** ISO 8601. */
  readonly at: string;
  readonly settings: readonly SettingExplanation[];
}
