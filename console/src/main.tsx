import "@patternfly/react-core/dist/styles/base.css";
import "./shell/attune.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./shell/app.tsx";

const root = document.getElementById("root");
if (!root) throw new Error("start the console: index.html has no element #root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
