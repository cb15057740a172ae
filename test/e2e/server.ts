import { readFileSync } from 'node:fs';
import { CONTROLLERS_LEASE } from './control-plane.ts';
import { createRest } from './rest.ts';
import type { ServerNeeds, TestServer } from './test-server.ts';

async function named(path: string): Promise<TestServer> {
  const kubeconfig = readFileSync(path, 'utf8');
  const { rest, url } = createRest(kubeconfig);
  const { gitVersion } = (await rest('GET', '/version')) as { gitVersion: string };
  const { items } = (await rest('GET', '/api/v1/nodes')) as {
    items: { status?: { conditions?: { type: string; status: string }[] } }[];
  };
  const hasNodes = items.some(({ status }) =>
    status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True'),
  );
  const hasControllers = await rest('GET', CONTROLLERS_LEASE).then(
    () => true,
    () => false,
  );
  const close = () => Promise.resolve();
  return { name: url, kubeconfig, url, rest, hasNodes, hasControllers, version: gitVersion, close };
}

/**
 * Starts a sandbox with what the cases need, or uses the server whose kubeconfig KRUISE_E2E_KUBECONFIG names. That one
 * must serve this project's definitions, and is used as its administrator.
 */
export async function startServer(needs: ServerNeeds): Promise<TestServer> {
  const path = process.env['KRUISE_E2E_KUBECONFIG'];
  if (path) return named(path);
  // A run against another server needs none of ours.
  const { startSandbox } = await import('./sandbox.ts');
  return startSandbox(needs);
}
