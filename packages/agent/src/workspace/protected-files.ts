/** A pattern as in `.gitignore`, and why a person has to approve each change of the files that match. */
interface ProtectedFiles {
  readonly reason: string
  readonly patterns: readonly string[]
  /**
   * Names that commands in a sandbox cannot create at the top of the workspace. Few, because an empty folder is there while a command
   * runs; the others are checked after it.
   */
  readonly placeholders?: readonly string[]
}

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
    patterns: ['.curfew', '**/.config/curfew/', '**/.local/state/curfew/'],
    placeholders: ['.curfew'],
  },
  {
    reason: 'git runs hooks, and commands that its configuration names',
    patterns: [
      '.git',
      '**/*.git/config',
      '**/*.git/hooks/',
      '**/*.git/info/',
      // The short name of .git on Windows disks.
      'git~*',
      '.gitconfig',
      '**/.config/git/',
      '.githooks/',
      '.husky/',
      'lefthook.*',
      '.lefthook*',
      '.pre-commit-config.yaml',
    ],
    placeholders: ['.git', '.githooks', '.husky'],
  },
  {
    reason: 'shells run it',
    patterns: [
      '.bashrc',
      '.bash_profile',
      '.bash_login',
      '.bash_logout',
      '.bash_aliases',
      '.profile',
      '.zshrc',
      '.zshenv',
      '.zprofile',
      '.zlogin',
      '.zlogout',
      '.kshrc',
      '.mkshrc',
      '.cshrc',
      '.tcshrc',
      '.login',
      '.logout',
      '.inputrc',
      '**/.config/fish/',
      '**/.config/nushell/',
      '**/.config/powershell/',
      '**/.config/starship.toml',
      '.oh-my-zsh/',
    ],
  },
  {
    reason: 'entering the folder runs it',
    patterns: ['.envrc', '**/.config/direnv/', 'mise.toml', '.mise.toml', 'mise.*.toml', '**/.config/mise/'],
    placeholders: ['.envrc'],
  },
  {
    reason: 'the desktop, the terminal or the system runs it',
    patterns: [
      '.xprofile',
      '.xinitrc',
      '.xsession',
      '.pam_environment',
      '.tmux.conf',
      '**/.config/tmux/',
      '.screenrc',
      '**/.config/autostart/',
      '**/.config/environment.d/',
      '**/.config/systemd/',
      '**/Library/LaunchAgents/',
      // Programs there are found by their names.
      '**/.local/bin/',
    ],
  },
  {
    reason: 'editors run commands and extensions that it names',
    patterns: [
      '.vscode/',
      '*.code-workspace',
      '.devcontainer/',
      '.devcontainer.json',
      '.idea/',
      '.fleet/',
      '.zed/',
      '.vs/',
      '*.sublime-project',
      '.vim/',
      '.vimrc',
      '.gvimrc',
      '.exrc',
      '.nvimrc',
      '.nvim.lua',
      '.nvim/',
      '**/.config/nvim/',
      '**/.config/zed/',
      '**/.config/Code/',
      '**/.config/helix/',
      '.helix/',
      '.emacs',
      '.emacs.d/',
      '.dir-locals.el',
    ],
    placeholders: ['.vscode', '.devcontainer', '.idea', '.zed'],
  },
  {
    // They apply to later conversations, where nobody may notice them.
    reason: 'agents follow it as instructions, or start servers that it names',
    patterns: [
      'AGENTS.md',
      'AGENTS.*.md',
      'CLAUDE.md',
      'CLAUDE.*.md',
      'GEMINI.md',
      'SKILL.md',
      '.agents/',
      '.claude/',
      '.claude.json',
      '.gemini/',
      '.codex/',
      '.copilot/',
      '.cursor/',
      '.cursorrules',
      '.windsurf/',
      '.windsurfrules',
      '.clinerules',
      '**/.github/copilot-instructions.md',
      '**/.github/instructions/',
      '.mcp.json',
      'mcp.json',
    ],
    placeholders: [
      'AGENTS.md',
      'CLAUDE.md',
      'GEMINI.md',
      '.agents',
      '.claude',
      '.gemini',
      '.codex',
      '.cursor',
      '.cursorrules',
      '.mcp.json',
    ],
  },
]
