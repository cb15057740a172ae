export { makeIdentity } from './certificate.ts';
export type { ReadYaml } from './exchange.ts';
export { kubeconfigText, type Access } from './kubeconfig.ts';
export type { Identity } from './selfSigned.ts';
export { serve, type Front, type ServeOptions } from './serve.ts';
export { httpWebhooks } from './webhookClient.ts';
