import { Alert, Page, PageSection } from "@patternfly/react-core";
import { Suspense, useEffect, useState } from "react";
import { Route, Switch } from "wouter";
import { AnswerLine } from "../parts/answer-line.tsx";
import { Empty, Loading } from "../parts/states.tsx";
import { useConnection } from "../stream/use-topic.ts";
import { useGoKeys } from "./go-keys.ts";
import { Header } from "./header.tsx";
import { KeyHelp } from "./key-help.tsx";
import { Navigation } from "./navigation.tsx";
import { views } from "./views.ts";

/** The page around every view: brand, search, navigation, and the view of the address. */
export function Shell({ onSignOut }: { readonly onSignOut: () => void }) {
  const [isHelpOpen, setHelpOpen] = useState(false);
  useGoKeys({ onHelp: () => setHelpOpen(true) });
  return (
    <Page
      masthead={<Header onSignOut={onSignOut} onHelp={() => setHelpOpen(true)} />}
      sidebar={<Navigation />}
      isManagedSidebar
      mainContainerId="main"
      isContentFilled
    >
      <StaleBanner />
      <PageSection isFilled hasOverflowScroll={false} className="attune-view">
        <Suspense fallback={<Loading label="Loading the view" />}>
          <Switch>
            {views.map(({ path, Component }) => (
              <Route key={path} path={path}>
                <Component />
              </Route>
            ))}
            <Route>
              <AnswerLine view="No such page" answer={undefined} />
              <Empty title="There is no such page">The address names no view of this console.</Empty>
            </Route>
          </Switch>
        </Suspense>
      </PageSection>
      <KeyHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </Page>
  );
}

/** A short break is not worth a banner. */
const patienceMs = 3000;

function StaleBanner() {
  const { connection } = useConnection();
  const [isShown, setShown] = useState(false);
  const isStale = connection.state === "stale";
  useEffect(() => {
    setShown(false);
    if (!isStale) return;
    const timer = setTimeout(() => setShown(true), patienceMs);
    return () => clearTimeout(timer);
  }, [isStale]);
  if (!isShown || connection.state !== "stale") return undefined;
  const asOf = new Date(connection.asOf).toLocaleTimeString("en-GB");
  return (
    <Alert
      component="p"
      isInline
      variant="warning"
      title={`As of ${asOf}: ${connection.problem}. The page tries again by itself.`}
    />
  );
}
