import type { HttpCluster } from './api/http-cluster.ts';
import { NotLeading } from './lead/fence.ts';
import type { Runtime, RuntimeOptions } from './options.ts';
import { createRuntime } from './runtime.ts';

/** The time in which this process leads without a break. */
export interface Term {
  readonly runtime: Runtime;
  /** Nothing more is sent. Resolves with true when no write is under way any more. */
  end(): Promise<boolean>;
}

export interface TermOptions extends Omit<RuntimeOptions, 'cluster'> {
  /** Opens sockets; what they are given to call throws where a write must not be sent. */
  connect(beforeWrite: () => void): HttpCluster;
  /** What of the cluster is looked after. */
  narrowed(cluster: HttpCluster): RuntimeOptions['cluster'];
  /** Whether the process may write, by its own clock. */
  mayWrite(): boolean;
}

/** Each term has a runtime and sockets of its own: what one term decided, no later one sends. */
export function createTerm({ connect, narrowed, mayWrite, ...options }: TermOptions): Term {
  let over = false;
  const http = connect(() => {
    if (over || !mayWrite()) throw new NotLeading();
  });
  const runtime = createRuntime({ ...options, cluster: narrowed(http) });
  return {
    runtime,
    async end() {
      const atRest = runtime.stop();
      over = true;
      const rested = await atRest;
      http.close();
      return rested;
    },
  };
}
