/** What one request or its answer takes of the budget. */
export interface Share {
  /** Takes more bytes; false: the share was taken away. */
  take(bytes: number): boolean;
  /** Gives everything back. */
  release(): void;
}

interface Holder {
  client: string;
  bytes: number;
  drop(): void;
}

/** One budget of bytes for all requests and answers that are in memory at a time. */
export interface Budget {
  /**
   * @param client the remote address
   * @param drop is called when the share was taken away
   */
  share(client: string, drop: () => void): Share;
}

/**
 * Beyond the budget the remote address that holds most loses its oldest share: whoever sends much, or does not read its answers,
 * keeps no room from others.
 *
 * @param most bytes
 */
export function createBudget(most: number): Budget {
  /** The oldest first. */
  const holders = new Set<Holder>();
  let used = 0;

  function release(holder: Holder): void {
    if (holders.delete(holder)) used -= holder.bytes;
  }

  function dropOne(): void {
    const sums = new Map<string, number>();
    for (const { client, bytes } of holders) sums.set(client, (sums.get(client) ?? 0) + bytes);
    const greatest = Math.max(...sums.values());
    for (const holder of holders) {
      if (holder.bytes === 0 || sums.get(holder.client) !== greatest) continue;
      release(holder);
      return holder.drop();
    }
  }

  return {
    share(client, drop) {
      const holder: Holder = { client, bytes: 0, drop };
      holders.add(holder);
      return {
        take(bytes) {
          if (!holders.has(holder)) return false;
          holder.bytes += bytes;
          used += bytes;
          for (let left = used; left > most; left = used) dropOne();
          return holders.has(holder);
        },
        release: () => release(holder),
      };
    },
  };
}
