import { readFileSync } from 'node:fs';
import { CONTROLLERS_LEASE, startControlPlane } from './control-plane.ts';
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
  const answers = (address: string) =>
    rest('GET', address).then(
      () => true,
      () => false,
    );
  return {
    name: url,
    kubeconfig,
    url,
    rest,
    hasNodes,
    hasControllers: await answers(CONTROLLERS_LEASE),
    hasMutatingPolicies: await answers(MUTATING_POLICIES),
    version: gitVersion,
    close: () => Promise.resolve(),
  };
}

const MUTATING_POLICIES = '/apis/admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies';
const MUTATING_POLICIES_FLAGS = [
  '--feature-gates=MutatingAdmissionPolicy=true',
  '--runtime-config=admissionregistration.k8s.io/v1beta1=true',
];

/** A server of our own beside that of the run, which shows the groups of a default server. */
async function startOther(assets: string): Promise<TestServer> {
  const { kubeconfig, close } = await startControlPlane(assets, MUTATING_POLICIES_FLAGS);
  return { ...(await named(kubeconfig)), close };
}

/**
 * Starts a sandbox with what the cases need, or uses the server whose kubeconfig KRUISE_E2E_KUBECONFIG names. That one
 * must serve this project's definitions, and is used as its administrator.
 */
export async function startServer(needs: ServerNeeds): Promise<TestServer> {
  const path = process.env['KRUISE_E2E_KUBECONFIG'];
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (path && assets && needs.mutatingPolicies === true) return startOther(assets);
  if (path) return named(path);
  // A run against another server needs none of ours.
  const { startSandbox } = await import('./sandbox.ts');
  return startSandbox(needs);
}
