/** A terminal that shows one line of progress. */
export interface ProgressTerminal {
  write(text: string): void;
  /** The width; 0 if it is not known. */
  columns(): number;
  /** Milliseconds since the program began. */
  elapsed(): number;
}

/** What runs faster shows nothing. */
const BEGINS_MS = 500;
const EVERY_MS = 100;
const ERASE = '\r\u001b[2K';

/**
 * Shows what a run is doing in one line, which each text replaces. `clear` erases it: what is printed next begins at its place. The
 * texts have no line breaks and nothing that others wrote.
 */
export function createProgressLine({ write, columns, elapsed }: ProgressTerminal): {
  show(text: () => string): void;
  clear(): void;
} {
  let next = BEGINS_MS;
  let isShown = false;
  return {
    show(text) {
      const now = elapsed();
      if (now < next) return;
      next = now + EVERY_MS;
      // A line that wraps cannot be erased.
      write(`${ERASE}${text().slice(0, Math.max(0, (columns() || 80) - 1))}`);
      isShown = true;
    },
    clear() {
      if (isShown) write(ERASE);
      isShown = false;
    },
  };
}
