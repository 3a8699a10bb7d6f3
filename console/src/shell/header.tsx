import {
  Button,
  Masthead,
  MastheadBrand,
  MastheadContent,
  MastheadLogo,
  MastheadMain,
  MastheadToggle,
  PageToggleButton,
  TextInput,
  Toolbar,
  ToolbarContent,
  ToolbarItem,
} from "@patternfly/react-core";
import BarsIcon from "@patternfly/react-icons/dist/esm/icons/bars-icon";
import QuestionCircleIcon from "@patternfly/react-icons/dist/esm/icons/question-circle-icon";
import { type FormEvent, useState } from "react";
import { Link, useLocation } from "wouter";
import { Choice } from "../parts/choice.tsx";
import { useConnection, useStream } from "../stream/use-topic.ts";
import { setTheme, type Theme, theme } from "./theme.ts";

export function Header({ onSignOut, onHelp }: { readonly onSignOut: () => void; readonly onHelp: () => void }) {
  return (
    <Masthead display={{ default: "inline" }}>
      <MastheadMain>
        <MastheadToggle>
          <PageToggleButton isHamburgerButton aria-label="Navigation" icon={<BarsIcon />} />
        </MastheadToggle>
        <MastheadBrand>
          <MastheadLogo className="attune-brand" component={(props) => <Link {...props} href="/" />}>
            Attune
          </MastheadLogo>
        </MastheadBrand>
      </MastheadMain>
      <MastheadContent>
        <Toolbar isFullHeight isStatic>
          <ToolbarContent alignItems="center">
            <ToolbarItem>
              <Clusters />
            </ToolbarItem>
            <ToolbarItem className="attune-grow" visibility={{ default: "hidden", md: "visible" }}>
              <Search />
            </ToolbarItem>
            <ToolbarItem alignSelf="center">
              <LiveDot />
            </ToolbarItem>
            <ToolbarItem visibility={{ default: "hidden", md: "visible" }}>
              <ThemeChoice />
            </ToolbarItem>
            <ToolbarItem visibility={{ default: "hidden", md: "visible" }}>
              <Button variant="plain" aria-label="Keys" onClick={onHelp} icon={<QuestionCircleIcon />} />
            </ToolbarItem>
            <ToolbarItem>
              <UserMenu onSignOut={onSignOut} />
            </ToolbarItem>
          </ToolbarContent>
        </Toolbar>
      </MastheadContent>
    </Masthead>
  );
}

function Clusters() {
  const { stream } = useStream();
  const { hello } = useConnection();
  if (!hello || hello.clusters.length < 2) return undefined;
  const options = hello.clusters.map((name) => ({ value: name, text: name }));
  return <Choice label="Cluster" value={hello.cluster} options={options} onChange={(name) => stream.show(name)} />;
}

/** Filters the fleet by name. What is typed draws nothing else. */
function Search() {
  const [, navigate] = useLocation();
  const go = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get("search");
    navigate(typeof text === "string" && text !== "" ? `/?q=${encodeURIComponent(text)}` : "/");
  };
  return (
    <form role="search" onSubmit={go}>
      <TextInput id="search" name="search" type="search" aria-label="Search nodes" placeholder="Search nodes  /" />
    </form>
  );
}

const words = { connecting: "connecting", live: "live", stale: "not live" };

function LiveDot() {
  const { connection } = useConnection();
  return (
    <span className={`attune-live attune-live-${connection.state}`} role="status">
      {words[connection.state]}
    </span>
  );
}

function ThemeChoice() {
  const [chosen, setChosen] = useState(theme());
  const choose = (next: Theme): void => {
    setTheme(next);
    setChosen(next);
  };
  const options = [
    { value: "system", text: "System" },
    { value: "light", text: "Light" },
    { value: "dark", text: "Dark" },
  ] as const;
  return <Choice label="Theme" value={chosen} options={options} onChange={choose} />;
}

function UserMenu({ onSignOut }: { readonly onSignOut: () => void }) {
  const { hello } = useConnection();
  if (!hello) return undefined;
  return (
    <Choice
      label="User"
      value=""
      shown={hello.user || "signed in"}
      options={[{ value: "out", text: "Sign out" }]}
      onChange={onSignOut}
    />
  );
}
