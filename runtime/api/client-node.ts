// Each from its own file: the entry of the package brings along the models of all kinds and an HTTP client, 1.1 MB that
// nothing here calls, and a module that Node.js warns about.
export { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
export { OpenIDConnectAuth } from '@kubernetes/client-node/dist/oidc_auth.js';
export { load as loadYaml } from 'js-yaml';
