import type { Option } from '../command/command.ts';

/** The options of commands that connect to a cluster. */
export const clusterOptions = {
  kubeconfig: { type: 'string', value: 'FILE', help: 'the cluster (default: KUBECONFIG, ~/.kube/config)' },
  context: { type: 'string', value: 'NAME', help: 'the context of the kubeconfig' },
} as const satisfies Record<string, Option>;
