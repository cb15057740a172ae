import { startControlPlane } from './control-plane.ts';

/**
 * Where KUBEBUILDER_ASSETS names a folder with etcd and kube-apiserver, the end-to-end tests are played against those, as
 * if KRUISE_E2E_KUBECONFIG named the server: one for the whole run.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (!assets || process.env['KRUISE_E2E_KUBECONFIG']) return undefined;
  const { kubeconfig, close } = await startControlPlane(assets);
  process.env['KRUISE_E2E_KUBECONFIG'] = kubeconfig;
  return close;
}
