import { words } from '@curfew/core/internal'

/** Patterns as in `.gitignore`, separated by white space, and why the user has to approve each change of the files that match. */
interface ProtectedFiles {
  readonly reason: string
  readonly patterns: string
}

/**
 * The files in a project that agents read on their own. `servers`, without patterns, are those that `curfew mcp import` reads.
 * A model could otherwise instruct or equip an agent that is started later.
 */
export const agentFiles = {
  claude: { servers: '.mcp.json', others: '.claude/ .claude.json CLAUDE.md CLAUDE.*.md' },
  cursor: { servers: '.cursor/mcp.json', others: '.cursor/ .cursorrules' },
  codex: { servers: '.codex/config.toml', others: '.codex/' },
  gemini: { servers: '.gemini/settings.json', others: '.gemini/ GEMINI.md' },
  vscode: { servers: '.vscode/mcp.json .vscode/settings.json', others: '.vscode/ *.code-workspace' },
  zed: { servers: '.zed/settings.json', others: '.zed/ .rules' },
  opencode: {
    servers: 'opencode.json opencode.jsonc .opencode/opencode.json .opencode/opencode.jsonc',
    others: 'opencode.json opencode.jsonc .opencode/',
  },
  others: {
    servers: '',
    others: `AGENTS.md AGENTS.*.md AGENT.md .agent.md SKILL.md .agents/ .agent/ mcp.json
      .copilot/ .windsurf/ .windsurfrules .codeium/ .clinerules .cline/ .roo/ .roorules* .roomodes .rooignore .kilocode/ .kilocodemodes .kilocoderules*
      .qwen/ QWEN.md crush.json .crush.json CRUSH.md CRUSH.*.md .crush/ .kiro/ .junie/ .aiassistant/ .continue/ .continuerules .amazonq/ AmazonQ.md
      .aider* .goose/ .goosehints .trae/ .augment/ .augment-guidelines .factory/ WARP.md .warp/ .openhands/ .openhands_instructions .pi/
      .tabnine/ .lingma/ .codebuddy/ CODEBUDDY.md CODEBUDDY.*.md .iflow/ IFLOW.md .amp/ .zencoder/ .firebender* .replit replit.nix replit.md
      .hermes.md HERMES.md gptme.toml .sourcegraph/ .rovodev/ .kimi/ .vibe/ .bolt/ .idx/`,
  },
} as const

const ofAgents = Object.values(agentFiles).map(({ servers, others }) => `${servers} ${others}`)

/**
 * Files that run code without being started by a person, or that decide what a model may do. A model that could change them
 * unseen could grant itself permissions.
 *
 * Not included: files that only matter when a person starts something, such as package.json, Makefile, .gitattributes (it names
 * filters, which are defined elsewhere), .gitmodules (git ignores commands in it) and .editorconfig.
 */
export const protectedFiles: readonly ProtectedFiles[] = [
  {
    reason: "it contains Curfew's permissions, tools, servers and skills",
    patterns: '.curfew **/.config/curfew/ **/.local/state/curfew/',
  },
  {
    reason: 'git runs hooks, and commands that its configuration names',
    // git~* is the short name of .git on Windows disks.
    patterns: `.git **/*.git/config **/*.git/hooks/ **/*.git/info/ git~* .gitconfig **/.config/git/
      .githooks/ .git-hooks/ .husky/ lefthook.* .lefthook* .pre-commit-config.yaml prek.toml hk.pkl hk.*.pkl
      captainhook.json grumphp.yml grumphp.yaml grumphp.*.dist .overcommit.yml .simple-git-hooks.* simple-git-hooks.*`,
  },
  {
    reason: 'shells run it',
    patterns: `.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout
      .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .oh-my-zsh/ .zpreztorc .p10k.zsh .fzf.*
      **/.config/fish/ **/.config/nushell/ **/.config/powershell/ **/.config/starship.toml`,
  },
  {
    reason: 'entering the folder runs it',
    // The last ones with direnv, whose file may only name them.
    patterns: `.envrc .direnv/ **/.config/direnv/ mise.toml mise.*.toml .mise/ .mise.* **/mise/config.toml **/mise/config.*.toml **/mise/conf.d/
      **/.config/mise* .tool-versions .asdfrc flake.nix shell.nix devenv.nix devenv.*.nix devenv.yaml devbox.json .flox/`,
  },
  {
    reason: 'the desktop, the terminal or the system runs it',
    // Programs in .local/bin are found by their names.
    patterns: `.xprofile .xinitrc .xsession .pam_environment .tmux.conf .screenrc .wezterm.lua .mailcap .forward .procmailrc
      **/.config/tmux/ **/.config/autostart/ **/.config/environment.d/ **/.config/systemd/ **/.config/alacritty/
      **/.config/kitty/ **/.config/wezterm/ **/.config/ghostty/ **/.config/i3/ **/.config/sway/ **/.config/hypr/
      **/Library/LaunchAgents/ **/.local/bin/ **/.local/share/applications/`,
  },
  {
    reason: 'editors run commands and extensions that it names',
    patterns: `.devcontainer/ .devcontainer.json .gitpod.yml .codesandbox/ .idea/ .fleet/ .vs/ *.sublime-project .luarc.json .clangd
      .vim/ .vimrc .gvimrc .exrc .nvimrc .nvim.lua .nvim/ .helix/ .emacs .emacs.d/ .dir-locals*.el .nanorc
      **/.config/nvim/ **/.config/zed/ **/.config/Code/ **/.config/helix/`,
  },
  {
    reason: 'compilers, package managers and other tools run commands that it names',
    patterns: `**/.cargo/config **/.cargo/config.toml .npmrc .yarnrc .yarnrc.yml **/.yarn/releases/ **/.yarn/plugins/ .pnpmfile.* .bazelrc .gdbinit .lldbinit .Rprofile .irbrc .pryrc
      .psqlrc .sqliterc .pythonrc .curlrc .wgetrc .ripgreprc .ssh/ .hgrc
      **/.hg/hgrc **/.jj/repo/config.toml`,
  },
  {
    reason: "servers run it with the project's secrets, or agents follow it",
    patterns: `.github/ .gitlab-ci.yml .gitlab/ .circleci/ .gitea/ .forgejo/ .travis.yml .drone.yml .woodpecker* .cirrus.* .buildkite/ .semaphore/
      .teamcity/ .builds/ .build.yml .appveyor.yml appveyor.yml Jenkinsfile Jenkinsfile.* azure-pipelines*.yml azure-pipelines*.yaml
      .azure-pipelines/ bitbucket-pipelines.yml cloudbuild*.yaml cloudbuild*.yml cloudbuild*.json buildspec*.yml buildspec*.yaml`,
  },
  {
    // They apply to later conversations, where nobody may notice them.
    reason: 'agents follow it as instructions, or start servers that it names',
    patterns: `${ofAgents.join(' ')} **/.config/opencode/ **/.config/crush/ **/.config/goose/ **/.config/amp/`,
  },
]

/** Names that begin with a dot and that no program runs or follows. Any other one is protected from the tools for files, in all folders. */
export const harmlessDotFiles = `.gitignore .gitattributes .gitmodules .gitkeep .keep .mailmap .ignore .rgignore .dockerignore
  .npmignore .prettierignore .eslintignore .stylelintignore .vscodeignore .gcloudignore .helmignore .editorconfig .browserslistrc
  .nvmrc .node-version .python-version .ruby-version .java-version .nojekyll .changeset .well-known .env.* .env`

/** The beginnings of names of Markdown files that agents do not look for. Others in capitals are protected from the tools for files. */
export const harmlessDocuments = `readme* changelog* changes history news license* licence* copying* notice* contributing* contributors
  authors maintainers code_of_conduct* security* support* governance roadmap* todo* architecture* faq* install* usage upgrad* migrat*
  releas* api* adr* rfc* test* troubleshooting* glossary citation* acknowledg* third* credits privacy* *_template`

/** Scripts that define an environment. Only protected from the tools for files: commands create and name them. */
export const environmentScripts = '**/bin/activate* **/Scripts/activate*'

/**
 * Names that commands in a sandbox cannot create at the top of the workspace. Few, because an empty folder is there while a command runs,
 * which would break programs that read such a file. The others are checked afterwards.
 */
export const placeholderNames: readonly string[] =
  words(`.git .curfew .githooks .husky .envrc .vscode .devcontainer .idea
  .zed AGENTS.md CLAUDE.md GEMINI.md .agents .claude .gemini .codex .cursor .cursorrules .mcp.json`)
