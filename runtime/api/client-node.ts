// Imported from their own files: the entry of the package imports the models of all kinds and an HTTP client, 1.1 MB that
// are not used here, and a module that Node.js warns about.
export { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
export { OpenIDConnectAuth } from '@kubernetes/client-node/dist/oidc_auth.js';
export { load as loadYaml } from 'js-yaml';
