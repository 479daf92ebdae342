/*
 * The lines that a server sends, cut from the chunks in which they arrive.
 */
import { constants } from "node:buffer";

import { ConnectionLost } from "./failures.js";

const NEWLINE = 10;

export class Lines {
  #longest;
  #pieces = [];
  #length = 0;

  /** A string cannot be longer than the default. */
  constructor(longest = constants.MAX_STRING_LENGTH) {
    this.#longest = longest;
  }

  /** Takes a chunk, and returns the lines that it completes. */
  *of(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      yield this.#take().toString();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(piece) {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > this.#longest) throw new ConnectionLost("the server sent a line that is too long");
  }

  #take() {
    const line = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}
