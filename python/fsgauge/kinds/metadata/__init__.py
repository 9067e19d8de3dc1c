"""Files made, asked for, listed, renamed and removed by clients, in own or shared folders."""
