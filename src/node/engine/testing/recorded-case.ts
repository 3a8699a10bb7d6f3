import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** What TuneD's plug-ins did on a simulated node: `test/fixtures/tuned/2*.yaml`. */
export interface RecordedCase {
  id: string;
  note?: string;
  input: {
    /** The text of profile `a`. */
    profile: string;
    /** Path → text; `->` before it makes it a link. */
    fs?: Record<string, string>;
    /** Files whose texts are compared. */
    watch: string[];
    /** Subsystem → name → what udev knows. */
    devices?: Record<string, Record<string, RecordedDevice>>;
    /** Command → answer; a `*` at the end makes it a prefix. Other programs do not exist. */
    exec?: Record<string, RecordedAnswer> | undefined;
    fs_before_verify?: Record<string, string>;
    exec_verify?: Record<string, RecordedAnswer>;
    /** Files beside the profile. */
    profile_files?: Record<string, string>;
    main_conf?: string;
    reapply?: number;
    rollback?: "soft" | "none";
    /** False: it was not verified. */
    verify?: boolean;
  };
  expect: Recorded;
  /** Where TuneD 2.20 differs. */
  expect_2_20?: Partial<Recorded>;
}

export interface RecordedDevice {
  devtype?: string;
  parent_subsystem?: string;
  removable?: string;
  path?: string;
  properties?: Record<string, string>;
}

export interface RecordedAnswer {
  rc: number;
  out?: string;
  err?: string;
}

export interface Recorded {
  applied: Record<string, string | null>;
  rolled_back: Record<string, string | null>;
  verify?: boolean;
  create_exec?: string[];
  apply_exec?: string[];
  rollback_exec?: string[];
  create_logs?: [level: string, message: string][];
  apply_logs?: [level: string, message: string][];
  verify_logs?: [level: string, message: string][];
  rollback_logs?: [level: string, message: string][];
}

export function recordedCases(name: string): RecordedCase[] {
  const text = readFileSync(new URL(`../../../../test/fixtures/tuned/${name}.yaml`, import.meta.url), "utf8");
  return parse(text, { version: "1.1" }) as RecordedCase[];
}

export function recordedCase(name: string, id: string): RecordedCase {
  const found = recordedCases(name).find((one) => one.id === id);
  if (!found) throw new Error(`no case ${id} in ${name}`);
  return found;
}
