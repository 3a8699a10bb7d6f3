import { Command, Option } from "commander";
import { examplesOf, examplesText } from "../examples.ts";
import { printable } from "../terminal/terminal.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What commander has of a flag; undefined where it was not given. */
type Given = string | boolean | readonly string[] | undefined;

/** A flag of a command: what help says about it, its default, and how its text becomes a value. */
export interface Flag<T> {
  /** In commander's notation: `-n, --namespace <name>`, `--apply`, `--no-exec`. */
  readonly flags: string;
  readonly description: string;
  /** Environment variable that is read where the flag is not given. With it, an empty text counts as none. */
  readonly env?: string | undefined;
  /** What help shows as the default, after the environment variable. */
  readonly shownDefault?: string | undefined;
  readonly required?: boolean | undefined;
  readonly repeatable?: boolean | undefined;
  /** All values that it may have, where there are few. */
  readonly values?: readonly string[] | undefined;
  /** Throws where a text is no value. `name` is the long form of the flag, for the message. */
  readonly read: (given: Given, name: string) => T;
}

/** The flags of a command, by the names that commander gives them: `--one-shot` is `oneShot`. */
export type Flags = Readonly<Record<string, Flag<unknown>>>;

export type Values<F extends Flags> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

interface TextOptions {
  readonly env?: string;
  readonly default?: string;
  /** Shown in help when the default is computed. */
  readonly shownDefault?: string;
  readonly required?: boolean;
}
type AlwaysText = { readonly default: string } | { readonly required: true };

export function text(flags: string, description: string, options: TextOptions & AlwaysText): Flag<string>;
export function text(flags: string, description: string, options?: TextOptions): Flag<string | undefined>;
export function text(flags: string, description: string, options: TextOptions = {}): Flag<string | undefined> {
  return parsed(flags, description, (value) => value, options);
}

type Parse<T> = (text: string, name: string) => T;

/** A flag whose text `parse` converts. */
export function parsed<T>(
  flags: string,
  description: string,
  parse: Parse<T>,
  options: TextOptions & AlwaysText,
): Flag<T>;
export function parsed<T>(
  flags: string,
  description: string,
  parse: Parse<T>,
  options?: TextOptions,
): Flag<T | undefined>;
export function parsed<T>(
  flags: string,
  description: string,
  parse: Parse<T>,
  { env, default: fallback, shownDefault = fallback, required }: TextOptions = {},
): Flag<T | undefined> {
  return {
    flags,
    description,
    env,
    shownDefault,
    required,
    read(given, name) {
      const value = typeof given === "string" ? given : fallback;
      return value === undefined ? undefined : parse(value, name);
    },
  };
}

/** One of several texts. */
export function choice<const T extends string>(
  flags: string,
  description: string,
  { of, default: fallback }: { readonly of: readonly T[]; readonly default: NoInfer<T> },
): Flag<T> {
  return { ...parsed(flags, description, (value, name) => oneOf(of, value, name), { default: fallback }), values: of };
}

/** One of several texts, or none. */
export function maybe<const T extends string>(
  flags: string,
  description: string,
  { of, shownDefault }: { readonly of: readonly T[]; readonly shownDefault: string },
): Flag<T | undefined> {
  return { ...parsed(flags, description, (value, name) => oneOf(of, value, name), { shownDefault }), values: of };
}

export function oneOf<T extends string>(values: readonly T[], value: string, name: string): T {
  const found = values.find((one) => one === value);
  if (found === undefined) throw new Error(`${name} ${value}: not one of ${values.join(", ")}`);
  return found;
}

/** True if given; a `--no-…` flag is false if given. */
export function toggle(flags: string, description: string): Flag<boolean> {
  return {
    flags,
    description,
    read: flags.startsWith("--no-") ? (given) => given !== false : (given) => given === true,
  };
}

/** What was given, as it was given: `true` for a flag without its optional value. */
export function unread(flags: string, description: string, shownDefault?: string): Flag<string | boolean | undefined> {
  return { flags, description, shownDefault, read: (given) => (typeof given === "object" ? undefined : given) };
}

/** Texts of a flag that may be repeated, or that takes several: `<file...>`. */
export function list(flags: string, description: string, options: { readonly required: true }): Flag<readonly string[]>;
export function list(flags: string, description: string): Flag<readonly string[] | undefined>;
export function list(
  flags: string,
  description: string,
  { required }: { readonly required?: boolean } = {},
): Flag<readonly string[] | undefined> {
  return {
    flags,
    description,
    required,
    repeatable: true,
    read: (given) => (Array.isArray(given) ? (given as readonly string[]) : undefined),
  };
}

export interface CommandDefinition<F extends Flags> {
  readonly name: string;
  readonly description: string;
  /** What the list of commands says, where the description is too long for one line. */
  readonly summary?: string;
  /** Arguments that are no flags, with what they are: `{ "<profile...>": "names of profiles" }`. */
  readonly operands?: Readonly<Record<string, string>>;
  readonly flags: F;
  /** Whether arguments beyond the operands are passed on, instead of being an error. */
  readonly surplus?: boolean;
  readonly run: (options: Values<F>, operands: readonly string[]) => Promise<void>;
}

export function addCommand<F extends Flags>(parent: Command, definition: CommandDefinition<F>): Command {
  const { name, description, summary = "", operands = {}, flags, surplus = false, run } = definition;
  const command = parent.command(name).description(description).summary(summary).allowExcessArguments(surplus);
  for (const [operand, about] of Object.entries(operands)) command.argument(operand, about);
  hintAfterError(command, "its flags");
  addFlags(command, flags);
  command.addHelpText("after", () => examplesText(namesOf(command).slice(1).join(" ")));
  // Commander passes operands, then options, then the command.
  return command.action(async (...given: unknown[]) => {
    const options = readFlags(flags, given.at(-2) as Record<string, Given>, process.env);
    try {
      await run(options, surplus ? command.args : (given.slice(0, -2).flat() as string[]));
    } catch (error) {
      throw isRefusal(error)
        ? new Error(`${namesOf(command).slice(1).join(" ")}: ${error.message}`, { cause: error })
        : error;
    }
  });
}

/** Of the API server, whose message names an object and not what it was for. Bundles have classes of their own. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === "ApiError" && (error as Error & { code?: number }).code !== 0;
}

/** After an error: what the command takes, a use of it, and the command that lists what would have been right. */
export function hintAfterError(command: Command, what: string): Command {
  const [program = "", ...names] = namesOf(command);
  const path = [program, ...names].join(" ");
  const operands = command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
  const [example] = examplesOf(names.join(" "));
  const usage = operands.length === 0 ? [] : [`usage: ${[path, ...operands].join(" ")}`];
  const use = operands.length === 0 || example === undefined ? [] : [`such as: ${example.line}`];
  return command.showHelpAfterError([...usage, ...use, `(${path} --help lists ${what})`].join("\n"));
}

/** `["attune", "tuned", "apply"]` */
function namesOf(command: Command): string[] {
  return [...(command.parent ? namesOf(command.parent) : []), command.name()];
}

/** Values of flags as a container's `args` give them: read as the command line is. */
export function parseArguments<F extends Flags>(flags: F, args: readonly string[], env: Environment): Values<F> {
  const command = new Command()
    .helpOption(false)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  addFlags(command, flags);
  return readFlags(flags, command.parse(args, { from: "user" }).opts(), env);
}

/** What commander knows of a flag, and the values that a shell may complete. */
export type FlagOption = Option & { readonly values?: readonly string[] | undefined };

function optionOf(flag: Flag<unknown>): FlagOption {
  return Object.assign(new Option(flag.flags, flag.description + defaultNote(flag)), { values: flag.values });
}

function addFlags(command: Command, flags: Flags): void {
  for (const flag of Object.values(flags)) {
    const option = optionOf(flag);
    if (flag.repeatable && !option.variadic)
      option.argParser<string[] | undefined>((value, before = []) => {
        before.push(value);
        return before;
      });
    command.addOption(option.makeOptionMandatory(flag.required === true));
  }
}

/** `--namespace` */
export function flagName({ flags }: Flag<unknown>): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}

function defaultNote({ env, shownDefault }: Flag<unknown>): string {
  const defaults = [...(env === undefined ? [] : [`$${env}`]), ...(shownDefault === undefined ? [] : [shownDefault])];
  return defaults.length === 0 ? "" : ` (default: ${defaults.join(", or ")})`;
}

function readFlags<F extends Flags>(flags: F, given: Readonly<Record<string, Given>>, env: Environment): Values<F> {
  const values = Object.entries(flags).map(([key, flag]) => {
    const value = flag.env === undefined ? given[key] : given[key] || env[flag.env] || undefined;
    return [key, readFlag(flag, value)];
  });
  return Object.fromEntries(values) as Values<F>;
}

/** An error repeats the value in one line, whatever is in it. */
function readFlag(flag: Flag<unknown>, value: Given): unknown {
  try {
    return flag.read(value, flagName(flag));
  } catch (error) {
    if (!(error instanceof Error) || typeof value !== "string" || printable(value) === value) throw error;
    throw new Error(
      error.message.replaceAll(value, () => printable(value)),
      { cause: error },
    );
  }
}
