// @ts-nocheck - a worklet has globals of its own
/** The speaker: plays pieces in order, drops them on request, and reports how many samples it has played. */
class Playback extends AudioWorkletProcessor {
  constructor() {
    super();
    this.pieces = [];
    this.place = 0;
    this.played = 0;
    this.told = 0;
    this.port.onmessage = ({ data }) => {
      if (data === "drop") this.pieces = [];
      else this.pieces.push(new Int16Array(data));
      if (data === "drop") this.place = 0;
    };
  }

  process(_, [channels]) {
    const out = channels[0];
    let filled = 0;
    while (filled < out.length && this.pieces.length) {
      const piece = this.pieces[0], size = Math.min(out.length - filled, piece.length - this.place);
      for (let number = 0; number < size; number += 1) out[filled + number] = piece[this.place + number] / 32768;
      filled += size;
      this.place += size;
      if (this.place === piece.length) {
        this.pieces.shift();
        this.place = 0;
      }
    }
    for (const channel of channels.slice(1)) channel.set(out);
    this.played += filled;
    if (this.played !== this.told && (!this.pieces.length || this.played - this.told > 2400)) {
      this.told = this.played;
      this.port.postMessage(this.played);
    }
    return true;
  }
}

registerProcessor("inarch-playback", Playback);
