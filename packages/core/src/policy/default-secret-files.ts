import { words } from '../collections/words.ts'

/**
 * Patterns as in `.gitignore`, without case: a file that matches is neither read nor changed by a model, unless `secretFiles` in config.json
 * lists others. Examples that are meant to be shared are excluded again.
 */
export const defaultSecretFiles: readonly string[] = [
  // Variables of programs.
  ...words(`
    *.env .env* !.envrc !.env.example !.env.sample !.env.template !.env.dist !example.env !sample.env !template.env
  `),
  // Private keys and stores of keys.
  ...words(`
    *.pem *.key *.p8 *.p12 *.pfx *.ppk *.jks *.keystore *.kdb *.kdbx id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519
    id_ed25519_sk .ssh/ .gnupg/ .password-store/ **/.local/share/keyrings/ **/Library/Keychains/
  `),
  // Credentials of command-line programs.
  ...words(`
    .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .s3cfg .boto .vault-token .htpasswd .git-credentials
    **/.config/git/credentials **/.config/gh/hosts.yml **/.config/gcloud/ **/.config/rclone/rclone.conf .aws/ .azure/
    **/.kube/config **/.docker/config.json **/.cargo/credentials* **/.gem/credentials **/.terraform.d/credentials.tfrc.json
    *.tfstate *.tfstate.backup
  `),
  // What was typed, and cookies.
  ...words('.*_history .mozilla/ **/.config/google-chrome/ **/.config/chromium/'),
  // Curfew's own secrets.
  ...words('**/curfew/secrets.json'),
]
