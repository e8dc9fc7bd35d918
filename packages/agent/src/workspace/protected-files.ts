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
    others: `AGENTS.md AGENTS.*.md AGENT.md SKILL.md .agents/ .agent/ mcp.json
      .copilot/ .windsurf/ .windsurfrules .clinerules .cline/ .roo/ .roorules* .roomodes .rooignore .kilocode/ .kilocodemodes
      .qwen/ QWEN.md crush.json .crush.json CRUSH.md .crush/ .kiro/ .junie/ .continue/ .continuerules .amazonq/
      .aider* .goose/ .goosehints .trae/ .augment/ .augment-guidelines .factory/ WARP.md .warp/ .openhands/ .pi/
      .tabnine/ .lingma/ .codebuddy/ .iflow/ .amp/ .zencoder/ .firebender* .replit replit.md`,
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
      .githooks/ .husky/ lefthook.* .lefthook* .pre-commit-config.yaml`,
  },
  {
    reason: 'shells run it',
    patterns: `.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout
      .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .oh-my-zsh/ .zpreztorc .p10k.zsh .fzf.*
      **/.config/fish/ **/.config/nushell/ **/.config/powershell/ **/.config/starship.toml`,
  },
  {
    reason: 'entering the folder runs it',
    patterns:
      '.envrc .direnv/ **/.config/direnv/ mise.toml .mise.toml mise.*.toml **/.config/mise/ .tool-versions .asdfrc',
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
    patterns: `.devcontainer/ .devcontainer.json .idea/ .fleet/ .vs/ *.sublime-project .luarc.json .clangd
      .vim/ .vimrc .gvimrc .exrc .nvimrc .nvim.lua .nvim/ .helix/ .emacs .emacs.d/ .dir-locals.el .nanorc
      **/.config/nvim/ **/.config/zed/ **/.config/Code/ **/.config/helix/`,
  },
  {
    reason: 'compilers, package managers and other tools run commands that it names',
    patterns: `**/.cargo/config **/.cargo/config.toml .npmrc .yarnrc .yarnrc.yml **/.yarn/releases/ **/.yarn/plugins/ .pnpmfile.cjs .bazelrc .gdbinit .lldbinit .Rprofile .irbrc .pryrc
      .psqlrc .sqliterc .pythonrc .curlrc .wgetrc .ripgreprc .ssh/ .hgrc
      **/.hg/hgrc **/.jj/repo/config.toml`,
  },
  {
    reason: "servers run it with the project's secrets, or agents follow it",
    patterns: '.github/ .gitlab-ci.yml .circleci/ .gitea/ .forgejo/',
  },
  {
    // They apply to later conversations, where nobody may notice them.
    reason: 'agents follow it as instructions, or start servers that it names',
    patterns: `${ofAgents.join(' ')} **/.config/opencode/ **/.config/crush/ **/.config/goose/ **/.config/amp/`,
  },
]

/** Names that begin with a dot and that no program runs or follows. Any other one in the root is protected from the tools for files. */
export const harmlessDotFiles = `.gitignore .gitattributes .gitmodules .gitkeep .keep .mailmap .ignore .rgignore .dockerignore
  .npmignore .prettierignore .eslintignore .stylelintignore .vscodeignore .gcloudignore .helmignore .editorconfig .browserslistrc
  .nvmrc .node-version .python-version .ruby-version .java-version .nojekyll .changeset .env.* .env`

/**
 * Names that commands in a sandbox cannot create at the top of the workspace. Few, because an empty folder is there while a command runs,
 * which would break programs that read such a file. The others are checked afterwards.
 */
export const placeholderNames: readonly string[] =
  words(`.git .curfew .githooks .husky .envrc .vscode .devcontainer .idea
  .zed AGENTS.md CLAUDE.md GEMINI.md .agents .claude .gemini .codex .cursor .cursorrules .mcp.json`)
