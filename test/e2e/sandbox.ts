import { randomBytes } from 'node:crypto';
import { readBodyYaml } from '../../cli/files/body-yaml.ts';
import { createWallClock, createWorld } from 'kruise-sandbox';
import { httpWebhooks, serve } from 'kruise-sandbox/http';
import { createRest } from './rest.ts';
import type { ServerNeeds, TestServer } from './test-server.ts';

const kubeconfigOf = (url: string) => `apiVersion: v1
kind: Config
clusters: [{ name: sandbox, cluster: { server: '${url}' } }]
users: [{ name: tester, user: {} }]
contexts: [{ name: sandbox, context: { cluster: sandbox, user: tester } }]
current-context: sandbox
`;

/** Times with which a rollout takes a few seconds. */
const quickly = { scheduleMs: 20, pullMs: 50, startMs: 20, readyMs: 100, stopMs: 50 };

/** Starts a sandbox with these nodes and controllers behind HTTP on a free port of this machine. */
export async function startSandbox({
  nodes,
  workloads,
  mutatingPolicies = false,
}: ServerNeeds): Promise<TestServer> {
  const clock = createWallClock();
  const world = createWorld({
    clock,
    nodes,
    mutatingPolicies,
    bootstrapped: true,
    kubeletsByHand: false,
    webhooks: httpWebhooks,
    ...(workloads ? { workloads, podEvents: true, timings: quickly } : {}),
  });
  const token = randomBytes(8).toString('hex');
  const front = await serve(world, {
    tokens: new Map([[token, 'kubernetes-admin']]),
    readYaml: readBodyYaml,
  });
  const kubeconfig = kubeconfigOf(`http://tester:${token}@127.0.0.1:${front.port}`);
  const { rest, url } = createRest(kubeconfig);
  const { gitVersion } = (await rest('GET', '/version')) as { gitVersion: string };
  return {
    name: 'the sandbox',
    kubeconfig,
    url,
    rest,
    hasNodes: nodes > 0,
    hasControllers: workloads,
    hasMutatingPolicies: mutatingPolicies,
    version: gitVersion,
    async close() {
      await front.close();
      world.stop();
    },
  };
}
