// Named one by one, so that a bundle leaves out what is not used.
export { KubeConfig, loadYaml } from '@kubernetes/client-node';
