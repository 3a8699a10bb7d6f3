import { writeOut } from "../terminal/terminal.ts";
import { completeCommand } from "./complete-command.ts";

/** `attune completion bash|zsh|fish`: a script that asks the program what may follow. */
export async function completion(shell: string): Promise<void> {
  const script = scripts[shell];
  if (script === undefined) throw new Error(`completion ${shell}: not one of ${Object.keys(scripts).join(", ")}`);
  writeOut(script);
}

const scripts: Readonly<Record<string, string>> = {
  bash: `# In ~/.bashrc: source <(attune completion bash)
_attune() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" ${completeCommand} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _attune attune
`,
  zsh: `#compdef attune
# In ~/.zshrc, after compinit: source <(attune completion zsh)
_attune() {
  local -a found
  local line
  while IFS= read -r line; do
    line=\${line//:/\\\\:}
    found+=("\${line/$'\\t'/:}")
  done < <("\${words[1]}" ${completeCommand} "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe attune found; else _files; fi
}
compdef _attune attune
`,
  fish: `# In ~/.config/fish/completions/attune.fish: attune completion fish | source
function __attune_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] ${completeCommand} $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c attune -f -a '(__attune_complete)'
`,
};
