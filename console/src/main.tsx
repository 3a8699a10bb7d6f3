import "@patternfly/patternfly/patternfly-base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Shell } from "./shell/shell.tsx";

const root = document.getElementById("root");
if (!root) throw new Error("start the console: index.html has no element #root");
createRoot(root).render(
  <StrictMode>
    <Shell />
  </StrictMode>,
);
