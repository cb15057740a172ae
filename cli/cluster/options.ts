import type { Option } from '../command/command.ts';

/** What the commands that speak to a cluster take to find it. */
export const clusterOptions = {
  kubeconfig: { type: 'string', value: 'FILE', help: 'the cluster (default: KUBECONFIG, ~/.kube/config)' },
  context: { type: 'string', value: 'NAME', help: 'the context of the kubeconfig' },
} as const satisfies Record<string, Option>;
