import {
  Alert,
  AlertActionLink,
  Button,
  EmptyState,
  EmptyStateBody,
  EmptyStateFooter,
  Skeleton,
  Tooltip,
} from "@patternfly/react-core";
import LockIcon from "@patternfly/react-icons/dist/esm/icons/lock-icon";
import { type ReactNode, useEffect, useState } from "react";
import type { Source } from "../../protocol/frames.ts";
import type { ActionName, Rule } from "../../protocol/topics.ts";
import { useAccess, useStream } from "../stream/use-topic.ts";
import { CopyCommand } from "./copy-command.tsx";
import { canICommand, ruleText } from "./rule-text.ts";

/** Bars in place of what comes, after a moment: most of it comes before. */
export function Loading({ rows = 5, label }: { readonly rows?: number; readonly label: string }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return <div aria-busy="true" />;
  return (
    <div aria-busy="true" className="attune-loading">
      {Array.from({ length: rows }, (_, at) => (
        <Skeleton key={at} height="1.5rem" screenreaderText={at === 0 ? label : ""} />
      ))}
    </div>
  );
}

export interface EmptyProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly command?: string;
}

/** Why there is nothing, and what a person can do about it. */
export function Empty({ title, children, command }: EmptyProps) {
  return (
    <EmptyState titleText={title} headingLevel="h2" variant="sm">
      <EmptyStateBody>{children}</EmptyStateBody>
      {command === undefined ? undefined : (
        <EmptyStateFooter>
          <CopyCommand command={command} />
        </EmptyStateFooter>
      )}
    </EmptyState>
  );
}

/** The user lacks a right. */
export function Forbidden({ rule, what }: { readonly rule: Rule; readonly what: string }) {
  return (
    <EmptyState titleText={`You may not see ${what}`} headingLevel="h2" icon={LockIcon} variant="sm">
      <EmptyStateBody>
        Your account lacks the right to <b>{ruleText(rule)}</b>. An administrator of the cluster can grant it.
      </EmptyStateBody>
      <EmptyStateFooter>
        <CopyCommand command={canICommand(rule)} />
      </EmptyStateFooter>
    </EmptyState>
  );
}

export interface FailedProps {
  /** What was attempted, on what: "read the pools of the cluster". */
  readonly attempt: string;
  /** In the words of the server. */
  readonly message: string;
  readonly onRetry?: () => void;
}

export function Failed({ attempt, message, onRetry }: FailedProps) {
  return (
    <Alert
      component="p"
      isInline
      variant="danger"
      title={`Could not ${attempt}`}
      actionLinks={onRetry ? <AlertActionLink onClick={onRetry}>Retry</AlertActionLink> : undefined}
    >
      {message}
    </Alert>
  );
}

/** For each kind that a view is made of: nothing where it is read, and otherwise why it is not. `what`: by kind, "the pools". */
export function SourceProblems({
  sources,
  what,
}: {
  readonly sources: ReadonlyMap<string, Source>;
  readonly what: Readonly<Record<string, string>>;
}) {
  const { stream } = useStream();
  return Array.from(sources, ([kind, source]) => {
    const name = what[kind] ?? kind;
    if (source.state === "denied")
      return (
        <Alert
          component="p"
          key={kind}
          isInline
          isPlain
          variant="info"
          customIcon={<LockIcon />}
          title={`No access to ${name}`}
        >
          Your account may not {ruleText(source.rule)}. <CopyCommand command={canICommand(source.rule)} />
        </Alert>
      );
    if (source.state === "failed")
      return <Failed key={kind} attempt={`read ${name}`} message={source.message} onRetry={() => stream.retry()} />;
    return undefined;
  });
}

export interface WriteButtonProps {
  /** Undefined: no right of its own tells. */
  readonly action: ActionName | undefined;
  readonly children: ReactNode;
  readonly onClick: () => void;
  readonly variant?: "primary" | "secondary" | "danger" | "link";
  readonly isDisabled?: boolean;
  readonly isLoading?: boolean;
  /** Begins with the text that is shown. */
  readonly "aria-label"?: string;
}

/** A button for what the user may not be allowed to do: then it says which right is missing. */
export function WriteButton({ action, children, isDisabled = false, ...props }: WriteButtonProps) {
  const access = useAccess(action);
  const button = (
    <Button {...props} isAriaDisabled={isDisabled || (action !== undefined && access?.allowed !== true)}>
      {children}
    </Button>
  );
  if (access === undefined || access.allowed) return button;
  return <Tooltip content={`You may not ${ruleText(access)}`}>{button}</Tooltip>;
}
